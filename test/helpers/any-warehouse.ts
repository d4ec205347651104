// Arbitrary warehouse sync definitions. There are only a few ids, so that two workspaces share some of them.
import fc from 'fast-check';
import type { Definition } from '../../src/lib/domain/warehouse/definition.ts';
import type { ByType } from '../../src/lib/domain/warehouse/plan.ts';

const anyId = fc.constantFrom('a', 'b', 'c', 'd');
const anyName = fc.constantFrom('One', 'Two', 'Ünï "x"');

/** Masks in every form. */
export const anyMask = fc
  .tuple(
    fc.constantFrom('', ' ', '"', "'", '\t', '\n'),
    fc.array(fc.constantFrom('*', '＊', '∗', '⁎', '﹡', '•', '●'), { minLength: 1, maxLength: 40 }),
    fc.constantFrom('', ' ', '"', "'", '\r\n'),
  )
  .map(([before, stars, after]) => `${before}${stars.join('')}${after}`);

const anyConnection: fc.Arbitrary<Definition> = fc.record(
  {
    id: anyId,
    name: anyName,
    state: fc.constantFrom('new', 'active'),
    service_provider: fc.constant('PROVIDER_A'),
    config: fc.record({ role: anyName, password: fc.constant('env:PASSWORD') }),
  },
  { requiredKeys: ['id', 'name', 'service_provider', 'config'] },
);

const anyModel: fc.Arbitrary<Definition> = fc.record({
  id: anyId,
  name: anyName,
  type: fc.constant('sql'),
  config: fc.record({ sql_query: fc.constantFrom('SELECT 1', 'SELECT 1\n', 'SELECT 2') }),
});

const anyPipeline: fc.Arbitrary<Definition> = fc.record({
  id: anyId,
  name: anyName,
  sync_mode: fc.record({ type: fc.constantFrom('full', 'incremental') }),
  schedule: fc.record({ type: fc.constantFrom('on_demand', 'on-demand', 'once') }),
});

const listOf = (item: fc.Arbitrary<Definition>) => fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 4 });

export const anyWorkspace: fc.Arbitrary<ByType<Definition>> = fc.record({
  connection: listOf(anyConnection),
  data_model: listOf(anyModel),
  pipeline: listOf(anyPipeline),
});
