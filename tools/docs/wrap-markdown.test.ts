import { describe, expect, it } from 'vitest'
import { WIDTH, wrapMarkdown } from './wrap-markdown.ts'

const sentence = 'A page of accounts is read once and kept. '
const long = sentence.repeat(5).trim()

describe('wrapping Markdown', () => {
  it('fills a paragraph that has a line over the width, without changing words', () => {
    const wrapped = wrapMarkdown(`${long}\nand so on`)
    expect(wrapped.split('\n').every((line) => line.length <= WIDTH)).toBe(true)
    expect(wrapped.replaceAll('\n', ' ')).toBe(`${long} and so on`)
  })

  it('indents continuation lines of a list item, and keeps its neighbours unchanged', () => {
    const lines = wrapMarkdown(`1. short\n2. ${long}\n   - ${long}\n3. short`).split('\n')
    expect(lines).toEqual([
      '1. short',
      `2. ${long.slice(0, 115).trim()}`,
      `   ${long.slice(115).trim()}`,
      `   - ${long.slice(0, 115).trim()}`,
      `     ${long.slice(115).trim()}`,
      '3. short',
    ])
  })

  it.each([
    ['a table', `| a | b |\n| --- | --- |\n| ${long} | b |`],
    ['a block of code', `\`\`\`\n${long}\n\`\`\``],
    ['a heading', `# ${long}`],
    ['HTML', `<img alt="${long}">`],
    ['a paragraph within the width', 'one\ntwo'],
    ['one long address', `https://example.com/${'a'.repeat(WIDTH)}`],
    ['inline code that is longer than a line', `\`${long}\``],
  ])('leaves %s unchanged', (_, text) => {
    expect(wrapMarkdown(text)).toBe(text)
  })

  it.each(['-', '1.', '#', '|', '>'])('begins no line with %s, which would change its meaning', (mark) => {
    const [first, last] = ['x'.repeat(100), 'z'.repeat(WIDTH - 100 - 2)]
    expect(wrapMarkdown(`${first} ${last} ${mark} y`).split('\n')).toEqual([first, `${last} ${mark} y`])
  })
})
