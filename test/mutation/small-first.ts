// Orders test files by size for mutants: one failed test is enough, and large files make hundreds of requests.
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({ file, size: statSync(file.moduleId).size }));
    return sized.sort((a, b) => a.size - b.size).map(({ file }) => file);
  }
}
