import { hash } from 'node:crypto';

/** What stands for a credential wherever it has to be remembered or looked up: memory holds no secret, and 43 characters. */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url');
