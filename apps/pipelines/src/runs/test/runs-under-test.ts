import { openLibrary } from '@platform-backend/events/testing';
import { startTestPipelines } from '../../../test/test-pipelines.ts';
import { orchestrationUnderTest } from './orchestration-under-test.ts';

export type RunsUnderTest = Awaited<ReturnType<typeof runsUnderTest>>;

/** A database and a NATS for runs, at which nothing works but what a test opens here. */
export async function runsUnderTest() {
  const events = await openLibrary();
  const service = await startTestPipelines({ idle: true });
  const working: { stop(): Promise<void> }[] = [];
  const stopWork = async (): Promise<void> => void (await Promise.all(working.splice(0).map((one) => one.stop())));
  return {
    ...{ events, service, stopWork },
    orchestration(options: Partial<Parameters<typeof orchestrationUnderTest>[0]> = {}) {
      const opened = orchestrationUnderTest({ database: service.pool, bus: events.bus, ...options });
      return { ...opened, work: () => void working.push(opened.work()) };
    },
    async stop() {
      await stopWork();
      await service.stop();
      await events.close();
    },
  };
}
