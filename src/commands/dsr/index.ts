// Commands for data subject requests.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { joinParts } from './bulk-results.ts';
import { listenForCallbacks } from './callbacks-listen.ts';
import { dropOutbox, listOutbox, replayOutbox } from './callbacks-outbox.ts';
import { verifyCallback } from './callbacks-verify.ts';
import { cancelPending } from './cancel.ts';
import { showDiscovery } from './discovery.ts';
import { makeEvidence } from './evidence.ts';
import { exportLedger, pruneLedger, verifyLedger } from './ledger.ts';
import { listRequests } from './list.ts';
import { markRequests } from './mark.ts';
import { prepareRequests } from './prepare.ts';
import { saveResults } from './save-results.ts';
import { awaitRequests, showStatus } from './status.ts';
import { submitRequests } from './submit.ts';

export const command = group('dsr', 'data subject requests: submit, follow, cancel, verify callbacks', [
  submitRequests,
  joinParts,
  prepareRequests,
  showStatus,
  awaitRequests,
  listRequests,
  cancelPending,
  saveResults,
  markRequests,
  makeEvidence,
  showDiscovery,
  group('ledger', 'the record of requests submitted from this machine', [exportLedger, verifyLedger, pruneLedger]),
  group('callbacks', 'status callbacks from the platform: receive, verify, deliver', [
    listenForCallbacks,
    verifyCallback,
    group('outbox', 'callback deliveries: list, replay, drop', [listOutbox, replayOutbox, dropOutbox]),
  ]),
]);
