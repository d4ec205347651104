// Starts the files outside `test/unit` first, because they wait for processes and take a long time. The short unit
// tests fill the end of a run, so that no core is idle while one long file runs. A new clone does not know how long
// each file takes.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class UnitTestsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isUnit = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/unit/');
    return [...sorted.filter((file) => !isUnit(file)), ...sorted.filter(isUnit)];
  }
}
