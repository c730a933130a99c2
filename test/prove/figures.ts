import { appendFileSync } from 'node:fs'

/** Tells a figure of a proof to whoever runs it by `npm run prove`; in other runs nobody listens. */
export function reportFigure(name: string, value: string | number): void {
  const file = process.env.PROVE_FIGURES
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ name, value: typeof value === 'number' ? value.toLocaleString('en-US') : value })}\n`)
}
