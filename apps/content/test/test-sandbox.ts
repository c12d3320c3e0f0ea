import { openSandbox } from '@platform-backend/sandbox';
import { programRunner } from '../src/sandbox/models/run-program.ts';

/** Opened as a service opens it. */
export const testSandbox = await openSandbox({ binary: process.env['BWRAP_BINARY'] });

export const runInSandbox = programRunner(() => Promise.resolve(testSandbox));

/** What readers of documents are started in, without code that was compiled before. */
export const readerHome = () => Promise.resolve({ sandbox: testSandbox });
