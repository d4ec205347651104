// Colour and signs, decided once per stream; the only way any text gets colour.

/** Each function returns its text unchanged when the stream has no colour. */
export interface Style {
  /** 0 none, 1 sixteen colours, 2 256, 3 true colour. */
  readonly level: 0 | 1 | 2 | 3;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}
