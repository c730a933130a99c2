import { Button, Code, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { toCurl } from '../../api/client.ts'
import { API } from '../../api/session.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { CopyButton } from './copy.tsx'

interface CurlProps {
  isOpen: boolean
  onTurn(isOpen: boolean): void
}

/** Button that lists the queries of the open page as curl commands. */
export function CurlButton({ isOpen, onTurn }: CurlProps) {
  const texts = useTexts(common)
  const client = useQueryClient()
  const paths = isOpen
    ? client
        .getQueryCache()
        .findAll({ type: 'active' })
        .map(({ queryKey }) => String(queryKey[0]))
    : []
  const login = `TOKEN=$(curl -s ${location.origin}${API}/auth/login -H 'content-type: application/json' -d @login.json | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
  return (
    <>
      <Button size="xs" variant="default" onClick={() => onTurn(true)}>
        {texts.curl}
      </Button>
      <Modal opened={isOpen} onClose={() => onTurn(false)} title={texts.curl} size="xl">
        <Stack gap="sm">
          <Text size="sm">{texts.curlHint}</Text>
          {[login, ...[...new Set(paths)].map((path) => toCurl(path))].map((line) => (
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
