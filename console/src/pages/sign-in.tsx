/** Asks for the key pair. */
import { useEffect, useState } from "preact/hooks";
import { signInProblem, verify } from "../api/client";
import { endpoint, isRemote, signIn } from "../api/session";
import { canSign } from "../api/sign";
import { Icon } from "../components/icon";
import { describe, ErrorPageLink } from "../components/notice";
import { strings } from "../strings";

export function SignInPage() {
  const [accessKeyId, setAccessKeyId] = useState("");
  const [secret, setSecret] = useState("");
  const [remember, setRemember] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const text = strings.signIn;
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    signInProblem.value = undefined;
    try {
      await signIn(accessKeyId.trim(), secret.trim(), remember, verify);
    } catch (error) {
      signInProblem.value = error;
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="sign-in">
      <form onSubmit={submit} autocomplete="off">
        <p class="brand">
          <Icon name="logo" /> <span>{strings.product}</span>
        </p>
        <h1>{text.title}</h1>
        <p class="break">{text.intro(endpoint)}</p>
        {isRemote && <p class="banner warning">{text.remoteWarning}</p>}
        {!canSign && (
          <p class="banner danger" role="alert">
            {text.insecure}
          </p>
        )}
        <label class="field">
          <span>{text.accessKeyId}</span>
          <input
            required
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            value={accessKeyId}
            onInput={(event) => setAccessKeyId(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>{text.secret}</span>
          <input
            required
            type="password"
            autocomplete="off"
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />
          <span>{text.remember}</span>
        </label>
        {signInProblem.value !== undefined && (
          <p class="banner danger break" role="alert">
            {describe(signInProblem.value)} <ErrorPageLink error={signInProblem.value} />
          </p>
        )}
        <button type="submit" class="button primary wide" disabled={!canSign || isBusy}>
          {isBusy ? text.busy : text.submit}
        </button>
        <p class="muted small">{text.privacy}</p>
        {!isRemote && (
          <p class="muted small">
            {text.hint} <code>npx --no-install dag-service open</code>
          </p>
        )}
      </form>
    </main>
  );
}
