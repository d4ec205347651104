// `--curl`: prints a call as a curl command, with placeholders for credentials.
import type { Endpoint } from '../../contract/endpoint.ts';
import { shellQuoted } from '../../kernel/words.ts';
import { type BuiltRequest, urlOf } from './request.ts';

/** Thrown after the command was printed: there is no response to continue with. */
export class CurlPrinted extends Error {
  constructor() {
    super('the equivalent curl command was printed; nothing was sent');
    this.name = 'CurlPrinted';
  }
}

/** One shell command on several lines. Everything but the placeholders is in single quotes. */
export function curlCommand(endpoint: Endpoint, request: BuiltRequest): string {
  const lines = [`curl --silent --show-error --request ${request.method} ${shellQuoted(urlOf(request))}`];
  lines.push(`--header ${shellQuoted(`accept: ${request.accept ?? 'application/json'}`)}`);
  if (endpoint.auth === 'bearer') lines.push('--header "authorization: Bearer $CDPADM_ACCESS_TOKEN"');
  else if (endpoint.auth !== 'none') lines.push('--user "$CDPADM_WORKSPACE_KEY:$CDPADM_WORKSPACE_SECRET"');
  if (request.body !== undefined) {
    lines.push("--header 'content-type: application/json'", `--data-raw ${shellQuoted(request.body.toString())}`);
  }
  return lines.join(' \\\n  ');
}
