(() => {
  const own = document.currentScript;
  const url = `${new URL(own.src).origin}/v1/gw/analytics/beacon`;
  const objects = navigator.globalPrivacyControl || navigator.doNotTrack === '1';
  const key = 'gw-session';
  const session = () => {
    const now = Date.now();
    let [id, at] = [];
    try {
      [id, at] = (sessionStorage.getItem(key) || '').split(' ');
    } catch {}
    if (!id || now - at > 18e5) id = crypto.randomUUID();
    try {
      sessionStorage.setItem(key, `${id} ${now}`);
    } catch {}
    return id;
  };
  window.gwBeacon = (event) => {
    if (objects) return false;
    const { pathname: path, host } = location;
    const from = document.referrer.split('/')[2] || '';
    const referrer = from === host ? '' : from;
    return navigator.sendBeacon(url, JSON.stringify({ event, path, referrer, session: session() }));
  };
  if (own.dataset.auto !== 'off') gwBeacon('page_view');
})();
