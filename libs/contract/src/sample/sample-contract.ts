import path from 'node:path';
import { contractOf, type Contract } from '../contract.ts';
import { loadProtos, protosDirectory } from '../load.ts';

/** A contract with every shape the platform's own may have, for the tests of this library. */
export function loadSample(): Contract {
  return contractOf(loadProtos(path.join(import.meta.dirname, 'protos'), protosDirectory()));
}
