export default async function stopSharedPlatform() {
  await globalThis.sharedPlatform?.stop();
  globalThis.sharedPlatform?.forget();
}
