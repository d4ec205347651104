// `dsr discovery`: shows what the processor supports, and the address of its certificate.
import { DiscoveryReply } from '../../lib/contract/dsr.ts';
import { internalIdentityType } from '../../lib/contract/identities.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

function shownType(type: string): string {
  const internal = internalIdentityType(type);
  return internal === type ? type : `${type} (${internal})`;
}

export const showDiscovery = defineCommand({
  path: 'dsr discovery',
  summary: 'show supported request and identity types, and the certificate address',
  effect: 'read',
  calls: 'platform',
  output: () => DiscoveryReply,
  notes: ['If the internal type of an identity differs from its identity type, the internal type is also shown.'],
  examples: ['cdpadm dsr discovery', 'cdpadm dsr discovery -o json'],
  run: async (ctx) => await (await ctx.api()).dsr.discovery(ctx.signal),
  view: {
    kind: 'record',
    columns: [
      { key: 'api_version', value: (it) => it.api_version },
      {
        key: 'supported_subject_request_types',
        title: 'types',
        value: (it) => it.supported_subject_request_types.join(', '),
      },
      {
        key: 'supported_identities',
        title: 'identities',
        value: (it) => it.supported_identities.map(({ identity_type: type }) => shownType(type)).join(', '),
      },
      { key: 'processor_certificate', title: 'certificate', id: true, value: (it) => it.processor_certificate },
    ],
  },
});
