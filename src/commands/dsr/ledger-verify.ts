// `dsr ledger verify`: whether the hash chain of the ledger is whole.
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { chainResult, chainView, emitChain, headFlag } from '../chain-report.ts';
import { openLedgerOf } from './session.ts';

export const verifyLedger = defineCommand({
  path: 'dsr ledger verify',
  summary: 'check that no line of the ledger was changed or removed',
  effect: 'local',
  tool: [],
  calls: 'nobody',
  flags: headFlag,
  columns: chainView.columns,
  output: chainResult,
  notes: [
    'Each line has a number, and a hash of itself and the line before it. The command lists each changed, missing or added line.',
    'The chain reveals later edits. It does not reveal that the whole ledger was rewritten: record the head elsewhere, and compare it with --head.',
  ],
  examples: ['cdpadm dsr ledger verify', 'cdpadm dsr ledger verify -o json'],
  exits: { failed: 'a line was changed, removed or added, or --head is not in the chain' },
  run: async (ctx, { flags }) => emitChain(ctx, await openLedgerOf(ctx), 'ledger', flags.head),
});
