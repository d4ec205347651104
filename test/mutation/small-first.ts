// The order of test files against mutants: the small ones first. One test that fails is enough, and the large ones go
// through hundreds of exchanges.
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({ file, size: statSync(file.moduleId).size }));
    return sized.sort((a, b) => a.size - b.size).map(({ file }) => file);
  }
}
