import { describe, expect, it } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  it('escapes what is put in', () => {
    expect(html`<p title="${`"'<&>`}">${'<script>'}</p>`.markup).toBe('<p title="&quot;&#39;&lt;&amp;&gt;">&lt;script&gt;</p>')
  })

  it('takes other html, lists and numbers in as they are', () => {
    expect(html`<ul>${['a', '<b>'].map((word) => html`<li>${word}</li>`)}</ul>${7}`.markup).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>7')
  })

  it('leaves out what is not there', () => {
    expect(html`a${false}${null}${undefined}b`.markup).toBe('ab')
  })
})
