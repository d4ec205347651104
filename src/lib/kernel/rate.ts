// A rate as people write it: a number of requests, a second or as `600/m` or `9000/h`.
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Requests a second; undefined for a text that is no rate. */
export function parseRate(text: string): number | undefined {
  const [, number = '', unit = 's'] = /^(\d{1,9}(?:\.\d{1,6})?)(?:\/(s|m|h))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (SECONDS[unit] ?? 1);
  return number !== '' && rate > 0 ? rate : undefined;
}
