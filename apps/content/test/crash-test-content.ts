import { contentContract } from '@platform-backend/contract-content';
import { startMortalService } from '@platform-backend/service/testing';
import { clientsOf, keys } from './test-content.ts';

export type MortalContent = Awaited<ReturnType<typeof startMortalContent>>;

/** Content in a process that is killed again and again. */
export async function startMortalContent(env: Readonly<Record<string, string>>, mostAnswers: number) {
  const mortal = await startMortalService({ name: 'content', contract: contentContract, env, keys, mostAnswers });
  return { ...clientsOf(mortal.calling), ...mortal };
}
