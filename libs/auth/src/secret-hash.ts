import { hash } from 'node:crypto';

/** What stands for a credential, or for what is said about one, wherever it is looked up: 43 characters that give nothing away. */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url');
