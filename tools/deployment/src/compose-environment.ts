/**
 * Prints the variables that docker-compose.yml asks for, with keys and passwords made for this
 * machine alone:  npm run -s compose:environment > .env
 */
import { generateServiceKeys } from '@platform/auth';
import { randomBytes } from 'node:crypto';

/**
 * 192 bits, in letters that need no quoting in a URL or a shell. A letter comes first, for a NATS server reads what its
 * environment says like its configuration, where other texts may be numbers.
 */
const password = (): string => `p${randomBytes(24).toString('hex')}`;

/** Name and value of every variable that docker-compose.yml requires. */
export const composeEnvironment = async (): Promise<Record<string, string>> => {
  // Only who calls others needs a key of its own; everybody else needs to know it.
  const { privateKeys, publicKeys } = await generateServiceKeys(['gateway', 'billing']);
  return {
    GATEWAY_PRIVATE_KEY: JSON.stringify(privateKeys.gateway),
    BILLING_PRIVATE_KEY: JSON.stringify(privateKeys.billing),
    SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
    CURSOR_KEY: randomBytes(32).toString('base64url'),
    POSTGRES_PASSWORD: password(),
    IDENTITY_OWNER_PASSWORD: password(),
    IDENTITY_APP_PASSWORD: password(),
    BILLING_OWNER_PASSWORD: password(),
    BILLING_APP_PASSWORD: password(),
    NATS_CLUSTER_PASSWORD: password(),
    NATS_OPERATOR_PASSWORD: password(),
    NATS_GATEWAY_PASSWORD: password(),
    NATS_IDENTITY_PASSWORD: password(),
    NATS_BILLING_PASSWORD: password(),
    // By name, so that whoever reads the file sees that no money moves.
    BILLING_PAYMENT_PROCESSOR: 'sandbox',
    KEYCLOAK_OWNER_PASSWORD: password(),
    KEYCLOAK_ADMIN_PASSWORD: password(),
    DEMO_USER_PASSWORD: password(),
  };
};

if (import.meta.main) {
  // Single quotes keep Compose from reading anything into a value; none of ours holds one.
  for (const [name, value] of Object.entries(await composeEnvironment())) process.stdout.write(`${name}='${value}'\n`);
}
