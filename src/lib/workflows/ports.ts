// How a workflow reports its progress.

export interface Tell {
  note(text: string): void;
  warn(text: string): void;
}
