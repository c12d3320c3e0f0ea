/** `npm run demo`: walks through the API of the running platform, printing each request and answer. */
import { command, runCommand } from '@platform-backend/command-line';
import { BrokenPromise, conversation } from './conversation.ts';
import { findRunningPlatform } from './running-platform.ts';
import { walk } from './walk.ts';

/** Nobody of the README: a person of two organisations must name one in every request, which its commands do not. */
const EMAIL = 'grace@example.com';

// Whoever reads along with `head` or leaves a pager early has seen enough.
process.stdout.on('error', () => process.exit(0));

await runCommand(
  command({
    name: 'npm run demo --',
    usage: `npm run demo

Walks through the API of the running platform (npm start), printing each request and answer.
  PLATFORM_HOME   the platform that runs on this folder; .platform unless given`,
    run: demo,
  }),
);

async function demo(): Promise<void> {
  try {
    const platform = await findRunningPlatform(process.env);
    const talk = conversation(platform.url, (line) => console.log(line));
    console.log(`The platform at ${platform.url}`);
    talk.chapter(`A token:  npm run -s token -- --email ${EMAIL} --name Grace`);
    await walk(talk, await platform.token(EMAIL, 'Grace'), EMAIL);
    console.log('\nEvery answer was the promised one.');
  } catch (error) {
    if (error instanceof BrokenPromise) console.error(`\nThe walk stopped: ${error.message}.`);
    else console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
