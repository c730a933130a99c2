import { describe, expect, it } from 'vitest'
import { InputRefused } from '../contract/authorization.ts'
import { parseBai2 } from './bai2/statements.ts'
import { parseCamt053 } from './camt053/statements.ts'
import { detectFormat } from './detect.ts'
import { parseMt940 } from './mt940/statements.ts'
import { parseOfx } from './ofx/statements.ts'

const latin = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))

function refusalOf(text: string): string {
  try {
    detectFormat(latin(text))
  } catch (error) {
    if (error instanceof InputRefused) return error.text.en
    throw error
  }
  return 'none'
}

describe('the format of a file', () => {
  it.each([
    ['OFXHEADER:100\n', parseOfx],
    [' \nOFXHEADER:100', parseOfx],
    ['<?xml version="1.0"?><?OFX ?><OFX>', parseOfx],
    ['text <OFX >', parseOfx],
    ['<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">', parseCamt053],
    ['<x:Document xmlns:x="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">', parseCamt053],
    ['<?xml version="1.0"?><!-- a --><Document>', parseCamt053],
    ['<!DOCTYPE x [<!ENTITY a "b">]><x>', parseCamt053],
    ['01,A,B,260228,1530,1,,,2/', parseBai2],
    ['{1:F01BANKXXX}', parseMt940],
    [':20:REF', parseMt940],
    ['a bank\n :20:REF', parseMt940],
  ])('%j', (text, parser) => {
    expect(detectFormat(latin(text)).parser).toBe(parser)
  })

  it('is looked for in its first 8,192 characters', () => {
    expect(detectFormat(latin(`${'x'.repeat(8_186)}\n:20:A`)).parser).toBe(parseMt940)
    expect(refusalOf(`${'x'.repeat(8_188)}\n:20:A`)).toContain('in none of the formats')
  })

  it('has line ends of any kind, and blanks for NUL', () => {
    expect(detectFormat(latin('01,A\rB\r\nC\nD')).text).toBe('01,A\nB\r\nC\nD')
    const long = `01,${'x'.repeat(5_000)}`
    expect(detectFormat(latin(`${long}\0\0y`)).text).toBe(`${long}  y`)
  })

  it('is told together with how it was decoded', () => {
    expect([detectFormat(latin('01,caf\u0082')).isDos, detectFormat(latin('01,caf')).isDos]).toEqual([true, false])
  })
})

describe('a file of another kind is refused by its name', () => {
  it.each([
    ['%PDF-1.7', 'PDF'],
    ['\u0089PNG\r\n', 'PNG'],
    ['\u00ff\u00d8\u00ff', 'JPEG'],
    ['GIF89a', 'GIF'],
    ['PK\u0003\u0004', 'ZIP / Excel'],
    ['\u001f\u008b', 'gzip'],
    ['7z\u00bc\u00af', '7-Zip'],
    ['Rar!', 'RAR'],
    ['\u00d0\u00cf\u0011\u00e0', 'Excel'],
    ['{\\rtf', 'RTF'],
    ['<html>', 'HTML'],
    ['<HTML>', 'HTML'],
    ['<!DOCTYPE html><body>', 'HTML'],
    ['<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03">', 'ISO 20022 pain.001'],
    ['<invoice>', 'XML <invoice>'],
    ['{"a":1}', 'JSON'],
    ['[1]', 'JSON'],
    ['!Type:Bank', 'QIF'],
    ['!Account', 'QIF'],
    ['a,b,c', 'CSV'],
    ['a;b;c\n', 'CSV'],
    ['a\tb\tc', 'CSV'],
  ])('%j', (text, kind) => {
    expect(refusalOf(text)).toContain(`This is a file of another kind (${kind}).`)
  })

  it.each(['camt.052', 'camt.054'])('%s, which has the movements of a day', (name) => {
    expect(refusalOf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}.001.02">`)).toContain(`This is a ${name} message`)
  })

  it.each(['', ' \n'])('%j is empty', (text) => {
    expect(refusalOf(text)).toBe('The file is empty.')
  })

  it.each(['hello', 'a,b\nc', 'x\u0000y'])('%j is none', (text) => {
    expect(refusalOf(text)).toContain('in none of the formats')
  })
})
