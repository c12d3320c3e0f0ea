import { contentContract } from '@platform-backend/contract-content';
import { startCrashTestService } from '@platform-backend/service/testing';
import { clientsOf, keys } from './test-content.ts';

export type CrashTestContent = Awaited<ReturnType<typeof startCrashTestContent>>;

/** Content in a process that is killed again and again. */
export async function startCrashTestContent(env: Readonly<Record<string, string>>, maxAnswers: number) {
  const crashing = await startCrashTestService({ name: 'content', contract: contentContract, env, keys, maxAnswers });
  return { ...clientsOf(crashing.calling), ...crashing };
}
