import { Button, Code, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toCurl } from '../api/client.ts'
import { API } from '../session/tokens.ts'
import { common } from '../texts/common.ts'
import { useTexts } from '../texts/language.tsx'
import { CopyButton } from './copy.tsx'

/** Every read that the open page made, as lines for a shell. */
export function CurlButton() {
  const texts = useTexts(common)
  const client = useQueryClient()
  const [lines, setLines] = useState<string[] | null>(null)
  const open = () => {
    const paths = client
      .getQueryCache()
      .findAll({ type: 'active' })
      .map(({ queryKey }) => String(queryKey[0]))
    setLines([...new Set(paths)].map((path) => toCurl(path)))
  }
  const login = `TOKEN=$(curl -s ${location.origin}${API}/auth/login -H 'content-type: application/json' -d @login.json | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {texts.curl}
      </Button>
      <Modal opened={lines !== null} onClose={() => setLines(null)} title={texts.curl} size="xl">
        <Stack gap="sm">
          <Text size="sm">{texts.curlHint}</Text>
          {[login, ...(lines ?? [])].map((line) => (
            <div className="copyable" key={line}>
              <Code block className="words" tabIndex={0}>
                {line}
              </Code>
              <CopyButton text={line} />
            </div>
          ))}
        </Stack>
      </Modal>
    </>
  )
}
