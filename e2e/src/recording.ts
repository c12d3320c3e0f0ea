/** A second without a sound: 8,000 samples of 16 bits. */
export function silence(): Buffer {
  const header = Buffer.from(
    '524946460000000057415645666d74201000000001000100401f0000803e0000020010006461746100000000',
    'hex',
  );
  header.writeUInt32LE(36 + 16_000, 4);
  header.writeUInt32LE(16_000, 40);
  return Buffer.concat([header, Buffer.alloc(16_000)]);
}

/** A recording as it is uploaded, in the part of this name. */
export const recordingForm = (name: string, bytes: Buffer) => {
  const head = `--b\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]),
  };
};
