/** `npm run demo`: walks through the API of the running platform, printing each request and answer. */
import { BrokenPromise, conversation } from './conversation.ts';
import { findRunningPlatform } from './running-platform.ts';
import { walk } from './walk.ts';

const EMAIL = 'ada@example.com';

// Whoever reads along with `head` or leaves a pager early has seen enough.
process.stdout.on('error', () => process.exit(0));

try {
  const platform = await findRunningPlatform(process.env);
  const talk = conversation(platform.url, (line) => console.log(line));
  console.log(`The platform at ${platform.url}`);
  talk.chapter(`A token:  npm run -s token -- --email ${EMAIL} --name Ada`);
  await walk(talk, await platform.token(EMAIL, 'Ada'), EMAIL);
  console.log('\nEvery answer was the promised one.');
} catch (error) {
  if (error instanceof BrokenPromise) console.error(`\nThe walk stopped: ${error.message}.`);
  else console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
