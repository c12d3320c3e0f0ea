/** `npm run protos:lint`: what buf finds wrong with the protos or would format in another way, and what they leave unsaid. */
import { command, runCommand } from '@platform-backend/command-line';
import { loadProtos, protosDirectory } from '@platform-backend/contract';
import { buf } from './buf.ts';
import { lackingDocumentation } from './documentation.ts';

await runCommand(
  command({
    name: 'npm run protos:lint --',
    usage: `npm run protos:lint

Says what buf finds wrong with the .proto files, where their format is another one than npm run format writes, and which
operations, fields and events have no description or no example.`,
    run() {
      try {
        buf('lint', protosDirectory);
        buf('format', '--diff', '--exit-code', protosDirectory);
        const lacking = lackingDocumentation(loadProtos(protosDirectory));
        if (lacking.length > 0) throw new Error(lacking.join('\n'));
      } catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = 1;
      }
    },
  }),
);
