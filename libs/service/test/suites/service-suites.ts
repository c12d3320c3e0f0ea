import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { changesSuite } from './changes-suite.ts';
import { keyedCallsSuite } from './idempotency-suite.ts';
import { indexSuite } from './index-suite.ts';
import { permissionSuite } from './permission-suite.ts';
import { preconditionsSuite } from './preconditions-suite.ts';
import { schemaSuite } from './schema-suite.ts';
import {
  knownOperations,
  operationsOf,
  type Ids,
  type RunningServiceUnderTest,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { triedWrites } from './tried-writes.ts';
import { twoOrganisationsSuite } from './two-organisations-suite.ts';

/** All that every service promises, tried on one of them, driven by its contract. */
export function serviceSuites<Things extends Ids>(tested: ServiceUnderTest<Things>): void {
  const operations = operationsOf(tested.service.declaration.contract);
  const known = knownOperations(tested);
  let running: RunningServiceUnderTest;
  beforeAll(async () => {
    running = await tested.start();
  });
  const writes = triedWrites(tested, known, () => running);
  afterAll(async () => {
    await writes.close();
    await running.stop();
  });

  it('every operation is known: who may call it, with which request', () => {
    const names = operations.map(({ name }) => name);
    const problems = [
      ...names
        .filter((name) => !(name in tested.operations))
        .map(
          (name) => `${name}: add to the operations of the suites who may call it, and a request that is carried out`,
        ),
      ...[
        tested.operations,
        tested.silent ?? {},
        tested.unaudited ?? {},
        tested.inSteps ?? {},
        tested.idsOfTheirOwn ?? {},
        tested.different ?? {},
      ]
        .flatMap((table) => Object.keys(table))
        .filter((name) => !names.includes(name))
        .map((name) => `${name}: the contract has no such operation`),
    ];
    expect(problems).toEqual([]);
  });
  permissionSuite(known, () => running);
  twoOrganisationsSuite(tested, known, () => running);
  changesSuite(tested, known, () => running, writes);
  keyedCallsSuite(known, writes);
  preconditionsSuite(known, writes);
  if (tested.service.declaration.storage.kind === 'postgres') schemaSuite(tested.service, tested);
  else indexSuite(tested.service);
}
