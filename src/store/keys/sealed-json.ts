import type { SealContext, Sealer } from './sealing.ts'

/** Seals a value as JSON. */
export function sealJson(sealer: Pick<Sealer, 'seal'>, context: SealContext, value: unknown): Uint8Array {
  return sealer.seal(context, Buffer.from(JSON.stringify(value)))
}

/** Opens what `sealJson` sealed; not validated, because only this deployment can have sealed it. Throws `SealError`. */
export function openJson<Value>(sealer: Pick<Sealer, 'open'>, context: SealContext, sealed: Uint8Array): Value {
  const value: Value = JSON.parse(openText(sealer, context, sealed))
  return value
}

/** Opens a sealed text. Throws `SealError`. */
export function openText(sealer: Pick<Sealer, 'open'>, context: SealContext, sealed: Uint8Array): string {
  return Buffer.from(sealer.open(context, sealed)).toString()
}
