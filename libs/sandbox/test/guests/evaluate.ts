/** A guest that runs whatever JavaScript it is told, as the body of an asynchronous function, and says what came of it. */
import { createRequire } from 'node:module';

process.on('message', (code: string) => {
  // oxlint-disable-next-line typescript/no-implied-eval -- its whole purpose
  const body = new Function('require', `return (async () => { ${code} })()`) as (require: unknown) => Promise<unknown>;
  body(createRequire(import.meta.url)).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: (error as NodeJS.ErrnoException).code ?? String(error) }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
