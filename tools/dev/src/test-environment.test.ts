import { expect, it } from '@jest/globals';
import NativeEnvironment from '../jest/environment.mjs';

/** Where Jest keeps whom it tells of tests: here, those of this file. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

it('tells of the tests of a file nobody who was told of those of the file before it', async () => {
  const ours: unknown = Reflect.get(globalThis, HANDLERS);
  const given = { projectConfig: { rootDir: import.meta.dirname, fakeTimers: {} } };
  const [config, context] = [given, { testPath: import.meta.filename }] as unknown as ConstructorParameters<
    typeof NativeEnvironment
  >;
  const next = new NativeEnvironment(config, context);
  try {
    expect(ours).toContainEqual(expect.any(Function));
    await next.setup();
    expect(Reflect.get(globalThis, HANDLERS)).toBeUndefined();
  } finally {
    await next.teardown();
    Reflect.set(globalThis, HANDLERS, ours);
  }
});
