/** `npm run protos:lint`: what buf finds wrong with the protos, or would format in another way. */
import { command, runCommand } from '@platform-backend/command-line';
import { protosDirectory } from '@platform-backend/contract';
import { buf } from './buf.ts';

await runCommand(
  command({
    name: 'npm run protos:lint --',
    usage: `npm run protos:lint

Says what buf finds wrong with the .proto files, and where their format is another one than npm run format writes.`,
    run() {
      try {
        buf('lint', protosDirectory);
        buf('format', '--diff', '--exit-code', protosDirectory);
      } catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = 1;
      }
    },
  }),
);
