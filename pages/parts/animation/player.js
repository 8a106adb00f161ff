// The time line: a position between 0 (the first stage) and the last one, and who moves it.
// Nothing in here draws, and nothing talks to the server.

const MOVE_MS = 800;
const REST_MS = 1000;
const LONGEST_FRAME_MS = 100; // a window that was hidden goes on where it was

function makePlayer({ moved, stopped, changed }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const player = { at: 0, last: 0, playing: false, speed: 1, loop: false };
  let goal = null; // the stage that it moves to
  let rest = 0; // milliseconds to stay before moving on
  let frame = 0;
  let before = 0;

  const clamp = (at) => Math.min(player.last, Math.max(0, at));
  const moveTo = (at) => {
    player.at = at;
    moved();
  };

  function run() {
    changed();
    if (frame) return;
    before = performance.now();
    frame = requestAnimationFrame(tick);
  }

  function tick(now) {
    frame = 0;
    advance(Math.min(LONGEST_FRAME_MS, Math.max(0, now - before)) * player.speed);
    before = now;
    if (goal !== null) frame = requestAnimationFrame(tick);
  }

  function advance(passed) {
    if (rest > 0) {
      rest -= passed;
      return;
    }
    if (player.playing && player.at === player.last) return player.loop ? begin() : player.stop();
    const step = calm.matches ? Infinity : passed / MOVE_MS;
    moveTo(player.at < goal ? Math.min(goal, player.at + step) : Math.max(goal, player.at - step));
    if (player.at === goal) arrive();
  }

  function arrive() {
    if (!player.playing || (goal === player.last && !player.loop)) return player.stop();
    rest = REST_MS + (calm.matches ? MOVE_MS : 0);
    goal = Math.min(goal + 1, player.last);
  }

  function begin() {
    moveTo(0);
    rest = REST_MS;
    goal = 1;
  }

  player.play = () => {
    player.playing = true;
    rest = 0;
    goal = Math.floor(player.at) + 1;
    if (player.at === player.last) begin();
    run();
  };
  player.stop = ({ tell = true } = {}) => {
    player.playing = false;
    goal = null;
    rest = 0;
    changed();
    if (tell) stopped();
  };
  player.toggle = () => (player.playing ? player.stop() : player.play());

  // One stage on or back, from where it is or is already going to; at the last of them what still
  // moves is there at once. Tells whether there was anything to do.
  player.step = (by) => {
    const from = !player.playing && goal !== null ? goal : player.at;
    player.playing = false;
    rest = 0;
    goal = clamp(by > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1);
    const isDone = player.at === goal;
    if (goal === from && !isDone) player.jump(goal);
    else run();
    return !isDone;
  };
  // Straight to a place on the line, without motion.
  player.jump = (at, { tell = true } = {}) => {
    moveTo(clamp(calm.matches ? Math.round(at) : at));
    player.stop({ tell });
  };
  // To a stage that was asked for elsewhere: a neighbour is moved to, others are jumped to.
  player.go = (stage) => {
    if (Math.abs(stage - player.at) > 1) return player.jump(stage, { tell: false });
    player.playing = false;
    rest = 0;
    goal = clamp(stage);
    run();
  };
  // To a place on another line, playing on if it plays.
  player.place = (at, last) => {
    player.last = last;
    player.at = at;
    rest = 0;
    goal = player.playing ? Math.min(at + 1, last) : null;
  };
  player.end = () => {
    cancelAnimationFrame(frame);
    calm.onchange = null;
  };
  calm.onchange = () => {
    if (calm.matches) moveTo(Math.round(player.at));
  };
  return player;
}
