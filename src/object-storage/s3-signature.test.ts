import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { signS3 } from './s3-signature.ts'

it('signs as the example of the specification', () => {
  const keys = {
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }
  const request = {
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    headers: { range: 'bytes=0-9' },
    bodyHash: hash('sha256', ''),
  } as const
  expect(signS3(request, keys, new Date('2013-05-24T00:00:00Z')).authorization).toContain(
    'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})
