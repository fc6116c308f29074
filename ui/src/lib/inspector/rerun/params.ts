//! Parameters as typed by a person.

/** A value, null for "as it was by default", or what is wrong with the text. */
export function parseParam(text: string, kind: string, min: number | null, max: number | null): { value: number | null } | { error: string } {
  const bare = text.trim().replace(/[\s_,]/g, "");
  if (bare === "") return { value: null };
  const scaled = /^(-?\d+(?:\.\d+)?)([kKmM])?$/.exec(bare);
  if (!scaled) return { error: "Not a number." };
  const unit = scaled[2]?.toLowerCase();
  const value = Number(scaled[1]) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1);
  if (kind === "integer" && !Number.isInteger(value)) return { error: "A whole number is needed." };
  if (min !== null && value < min) return { error: `At least ${min.toLocaleString("en-US")}.` };
  if (max !== null && value > max) return { error: `At most ${max.toLocaleString("en-US")}.` };
  return { value };
}
