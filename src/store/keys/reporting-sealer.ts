import { SealError, type Sealer } from './sealing.ts'

/** The same sealer; `onFailure` is called with the table of each value that cannot be opened. */
export function reportingSealer(sealer: Sealer, onFailure: (table: string) => void): Sealer {
  const report = (table: string, error: unknown): never => {
    if (error instanceof SealError) onFailure(table)
    throw error
  }
  return {
    ...sealer,
    open: (context, sealed) => {
      try {
        return sealer.open(context, sealed)
      } catch (error) {
        return report(context.table, error)
      }
    },
    openLarge: (context, sealed) => sealer.openLarge(context, sealed).catch((error: unknown) => report(context.table, error)),
    reEncrypt: (context, sealed) => {
      try {
        return sealer.reEncrypt(context, sealed)
      } catch (error) {
        return report(context.table, error)
      }
    },
  }
}
