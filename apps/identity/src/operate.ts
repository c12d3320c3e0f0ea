/** `npm run -s audit -- verify`: what an operator does. The commands belong to the areas; here they are listed. */
import { runOneOf } from '@platform-backend/command-line';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import { auditCommands, auditUsage } from './audit/operate/audit-commands.ts';
import { auditChainStore } from './audit/store/audit-chain-store.ts';
import { service } from './service.ts';

const commands = auditCommands(async () => {
  const { storage } = service.declaration;
  const store = await storage.open({
    settings: service.readSettings(process.env).storage as Parameters<typeof storage.open>[0]['settings'],
    applicationName: 'identity operator',
    logger: createLogger({ service: 'identity', level: 'warn', destination: process.stderr }),
    metrics: createMetrics(),
  });
  return {
    chains: auditChainStore(store.opened.database),
    write: (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`),
    [Symbol.asyncDispose]: () => store.close(),
  };
});

await runOneOf({ name: 'npm run audit --', usage: auditUsage, commands });
