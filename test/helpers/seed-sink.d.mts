export interface Sink {
  url: string;
  /** Accepted. */
  rows: number;
  requests: number;
  /** Of accepted requests, when they are kept. */
  bodies: string[];
  close(): Promise<void>;
}
export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  delay?: number;
  drop?: boolean;
}
export function startSink(options?: {
  answer?: (body: Buffer, request: number) => Reply | undefined;
  keep?: boolean;
  port?: number;
}): Promise<Sink>;
