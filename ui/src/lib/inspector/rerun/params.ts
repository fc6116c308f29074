//! Parameters as typed by a person.

/** A value, null for "as it was by default", or what is wrong with the text. */
export function parseParam(text: string, words: readonly string[] = []): { value: number | string | null } | { error: string } {
  const bare = text.trim().replace(/[\s_,]/g, "");
  if (bare === "") return { value: null };
  if (words.includes(text.trim())) return { value: text.trim() };
  const scaled = /^(-?\d+(?:\.\d+)?)([kKmM])?$/.exec(bare);
  if (!scaled) return { error: words.length > 0 ? `A number, or ${words.join(", ")}.` : "Not a number." };
  const unit = scaled[2]?.toLowerCase();
  const value = Number(scaled[1]) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1);
  if (!Number.isInteger(value) || value < 0) return { error: "A whole number, 0 or more." };
  return { value };
}
