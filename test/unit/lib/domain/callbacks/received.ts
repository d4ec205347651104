// A received callback as an outbox line, for tests.
import { eventId, type ReceivedLine } from '../../../../../src/lib/domain/callbacks/outbox.ts';

export const AT = '2026-11-21T08:00:00.000Z';
export const REQUEST = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';

export function received(status: string, targets: readonly string[] = [], request = REQUEST): ReceivedLine {
  const body = Buffer.from(JSON.stringify({ subject_request_id: request, request_status: status }));
  return {
    event: 'received',
    id: eventId('local', '3001', body),
    at: AT,
    address: 'local',
    workspace_id: '3001',
    request_id: request,
    status,
    targets,
    headers: [['Content-Type', 'application/json']],
    body: body.toString('base64'),
  };
}
