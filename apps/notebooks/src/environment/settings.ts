import { optional, secret, text } from '@platform-backend/core';

/** What values that nobody is told are encrypted with. */
export const environmentSettings = {
  NOTEBOOKS_SECRETS_KEY: optional(
    secret(
      text({
        mustBe: 'text of at least 16 characters',
        pattern: /^.{16,}$/s,
        description:
          'encrypts the environment variables of organisations; the same for all replicas; made by `npm start`; without it none can be set',
      }),
    ),
  ),
  NOTEBOOKS_SECRETS_KEY_OTHER: optional(
    secret(
      text({
        mustBe: 'text of at least 16 characters',
        pattern: /^.{16,}$/s,
        description:
          'the key before `NOTEBOOKS_SECRETS_KEY`, or the one to come, while it is replaced: what it has encrypted is read as well',
      }),
    ),
  ),
};
