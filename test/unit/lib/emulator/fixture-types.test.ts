// The published type for fixtures matches the schema that the platform validates against.
import { expectTypeOf, it } from 'vitest';
import type { EmulatorFixtures } from '../../../../src/lib/emulator/base/embedding.ts';
import type { FixturesDocument } from '../../../../src/lib/emulator/fixtures/schema.ts';

it('publishes a type that has every key in the schema and accepts every valid document', () => {
  expectTypeOf<keyof EmulatorFixtures>().toEqualTypeOf<keyof FixturesDocument>();
  expectTypeOf<FixturesDocument>().toExtend<EmulatorFixtures>();
});
