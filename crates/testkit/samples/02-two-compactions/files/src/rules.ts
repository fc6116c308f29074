/** Which account a payee belongs to: the first rule that fits. */
export interface Rule {
  contains: string;
  account: string;
}

export const UNKNOWN = "expenses:unsorted";

export function accountFor(payee: string, rules: Rule[]): string {
  const wanted = payee.toLowerCase();
  return rules.find((rule) => wanted.includes(rule.contains.toLowerCase()))?.account ?? UNKNOWN;
}
