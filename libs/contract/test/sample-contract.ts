import path from 'node:path';
import { contractOf, type Contract } from '../src/contract.ts';
import { loadProtos, protoFiles, protosDirectory } from '../src/load.ts';

/** A contract with every shape the platform's own may have. */
export const loadSample = (): Contract => contractOf(loadProtos(path.join(import.meta.dirname, 'sample')));

/** A contract with shapes of requests that the platform's own operations do not show together. */
export const loadShapes = (): Contract => contractOf(loadProtos(path.join(import.meta.dirname, 'shapes')));

const streamProtos = path.join(import.meta.dirname, 'streams');

/** A contract with every way to stream, for the tests of everything that carries messages. */
export const loadStreams = (): Contract => contractOf(loadProtos(streamProtos));

/** The platform's own contract with these streams in it. */
export const loadPlatformWithStreams = (): Contract =>
  contractOf(loadProtos(streamProtos, [...protoFiles(protosDirectory), ...protoFiles(streamProtos)]));
