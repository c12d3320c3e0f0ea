/** `npm run protos:lint`: what buf finds wrong with the protos or would format in another way, and what they leave unsaid. */
import { command, runCommand } from '@platform-backend/command-line';

await runCommand(
  command({
    name: 'npm run protos:lint --',
    usage: `npm run protos:lint

Says what buf finds wrong with the .proto files, where their format is another one than npm run format writes, and which
operations, fields and events have no description or no example.`,
    async run() {
      const [{ loadProtos, protosDirectory }, { buf }, { lackingDocumentation }] = await Promise.all([
        import('@platform-backend/contract'),
        import('./buf.ts'),
        import('./documentation.ts'),
      ]);
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
