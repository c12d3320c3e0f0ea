/** Node reads the TypeScript below by itself; Jest's own loader is not involved. */
export default async function startSharedPlatform() {
  const { startPlatform } = await import('./src/platform.ts');
  // Tests count credits from nothing.
  const platform = await startPlatform({ environment: { BILLING_WELCOME_CREDITS: '0' } });
  globalThis.sharedPlatform = platform;
  // Test files run in contexts and processes of their own: what they need travels by environment.
  process.env['E2E_PLATFORM'] = JSON.stringify(platform.facts);
}
