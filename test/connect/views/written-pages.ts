import { expect } from 'vitest'
import type { Page } from '../../../src/connect/views/page.ts'
import { Html } from '../../../src/model/texts/html.ts'

/**
 * Compares pages with the ones that are written down in `results`. After an intended change run the tests with `-u`; the
 * difference shows what owners see that they did not see before.
 */
export async function expectWritten(name: string, cases: Readonly<Record<string, Page | Html | string | boolean | null>>): Promise<void> {
  const written = Object.entries(cases).map(([title, shown]) => `===== ${title}\n${print(shown)}\n`)
  await expect(written.join('\n')).toMatchFileSnapshot(`results/${name}.txt`)
}

function print(shown: Page | Html | string | boolean | null): string {
  if (shown instanceof Html) return shown.markup
  if (shown === null || typeof shown !== 'object') return String(shown)
  const { body, ...head } = shown
  return `${JSON.stringify(head, null, 1)}\n${body.markup}`
}
