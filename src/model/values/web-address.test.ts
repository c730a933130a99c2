import { expect, it } from 'vitest'
import { parseWebAddress } from './web-address.ts'

it.each([
  ['https://www.example.com', 'https://www.example.com/'],
  ['HTTPS://www.example.com:8443/in?a=b#c', 'https://www.example.com:8443/in?a=b#c'],
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/'],
  ['https://[::1]/', 'https://[::1]/'],
])('%s is an address', (text, href) => {
  expect(parseWebAddress(text)?.href).toBe(href)
})

it.each([
  ...['https:www.example.com', 'https:/www.example.com', 'https:///www.example.com', 'https://', 'https:', 'https://?a', 'https://#a'],
  ...['https:\\\\www.example.com', 'https://\\www.example.com', 'https://www.example.com\\in', '//www.example.com', 'www.example.com'],
  ...[
    'ftp://www.example.com',
    ' https://www.example.com',
    'https://www.example.com/a b',
    'https://www.exam\tple.com',
    'https://a\u0000b/',
    '',
  ],
])('%j is none', (text) => {
  expect(parseWebAddress(text)).toBeNull()
})
