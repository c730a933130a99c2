import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '..', '..', 'docs', 'decisions')
const read = (file: string) => readFileSync(resolve(folder, file), 'utf8')
const files = readdirSync(folder)
  .filter((file) => file !== 'README.md')
  .sort()

/** Title, date and status in the head of a record; the status may be wrapped. */
const HEAD = /^# (\d{4})\. (\S.*)\n\n- Date: (\d{4}-\d{2}-\d{2})\n- Status: ((?:accepted|superseded by)[^\n]*(?:\n {2}[^\n]+)*)\n\n/

describe('the decisions', () => {
  it.each(files)('%s has a title, a date, a status and the four headings', (file) => {
    const text = read(file)
    expect(HEAD.exec(text)?.[1], 'the head').toBe(file.slice(0, 4))
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(['Decided', 'Why', 'Price', 'Not taken'])
    expect(text).not.toMatch(/^## .+\n\s*(?:## |$(?![\s\S]))/m)
  })

  it('are numbered without gaps', () => {
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1))
  })

  it('are all in the index, with the values of their heads', () => {
    const rows = files.map((file) => {
      const [, number, title, date, status = ''] = HEAD.exec(read(file)) ?? []
      return `| [${number}](${file}) | ${title} | ${date} | ${status.replace(/\n {2}/g, ' ')} |`
    })
    expect(read('README.md').match(/^\| \[.*$/gm)).toEqual(rows)
  })
})
