import { contentContract } from '@platform-backend/contract-content';
import { startCrashTestService } from '@platform-backend/service/testing';
import { clientsOf, keys } from './test-content.ts';

export type CrashTestContent = Awaited<ReturnType<typeof startCrashTestContent>>;

/** Content in a process that is killed again and again. */
export async function startCrashTestContent(
  env: Readonly<Record<string, string>>,
  limits: { readonly maxAnswers: number; readonly maxKills: number; readonly as?: string },
) {
  const crashing = await startCrashTestService({ name: 'content', contract: contentContract, env, keys, ...limits });
  return { ...clientsOf(crashing.calling), ...crashing };
}
