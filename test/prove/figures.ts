import { appendFileSync } from 'node:fs'

/** Reports a figure of a proof to `npm run prove`; ignored in other runs. */
export function reportFigure(name: string, value: string | number): void {
  const file = process.env.PROVE_FIGURES
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ name, value: typeof value === 'number' ? value.toLocaleString('en-US') : value })}\n`)
}
