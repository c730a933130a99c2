import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ts } from '@ts-morph/common'

/** A text of the source, in pieces where it has placeholders. */
export interface SourceText {
  file: string
  pieces: string[]
}

const store = resolve(import.meta.dirname, '../../src/store')

/** Texts of the store's source that name a table; not those that change its definition. */
export function textsNaming(table: string): SourceText[] {
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('cluster/distribute.ts'),
  )
  return names.flatMap((file) => {
    const source = readFileSync(join(store, file), 'utf8')
    if (!source.includes(table)) return []
    const texts: SourceText[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isTemplateExpression(node))
        texts.push({ file, pieces: [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)] })
      else if (ts.isStringLiteralLike(node)) texts.push({ file, pieces: [node.text] })
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
    return texts.filter(({ pieces }) => !pieces[0]?.startsWith('.') && pieces.some((piece) => new RegExp(`\\b${table}\\b`).test(piece)))
  })
}

/** Whether a statement has all pieces of a text, in their order. */
export function isMadeOf(statement: string, { pieces }: SourceText): boolean {
  let at = 0
  for (const piece of pieces.map(squeezed).filter((one) => one !== '')) {
    const found = statement.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

/** Text with one space for each run of white space. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
